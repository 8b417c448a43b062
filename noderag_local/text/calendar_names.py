"""Names of months and weekdays in the languages whose dates are read."""

from __future__ import annotations

MONTH_NAMES = (
    "January February March April May June July August September October November December "
    "Jan Feb Mar Apr Jun Jul Aug Sept Sep Oct Nov Dec "
    "Januar Februar März Mai Juni Juli Oktober Dezember "
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre "
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre "
    "gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre "
    "janeiro fevereiro março maio junho julho setembro outubro novembro dezembro "
    "januari februari maart april juni juli augustus oktober "
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря "
    "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь"
)
WEEKDAY_NAMES = (
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday "
    "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag "
    "lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo "
    "lunedì martedì mercoledì giovedì venerdì sabato domenica"
)
CALENDAR_WORDS = frozenset(word.casefold() for word in f"{MONTH_NAMES} {WEEKDAY_NAMES}".split())
"""Months and weekdays, casefolded: no entities when they stand alone."""
