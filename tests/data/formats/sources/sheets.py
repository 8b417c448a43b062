"""Writes sheets-openpyxl.xlsx into the current folder."""

from datetime import date, datetime

import openpyxl

book = openpyxl.Workbook()
costs = book.active
costs.title = "Costs"
for row in (
    ["What the roof cost"],
    [],
    ["Day", "What", "Amount", "Share", "Paid"],
    [date(2021, 6, 4), "Timber", 7350.5, 0.3995, True],
    [date(2021, 6, 11), "Tiles", 6400, 0.3478, True],
    [datetime(2021, 6, 30, 14, 30), "Carpenter Möller", 4650, 0.2527, False],
    [None, "Sum", "=SUM(C4:C6)", "=SUM(D4:D6)"],
    [],
    [],
    ["Keeper", "Telephone"],
    ["Paula Reinke", "05751 4427"],
    ["Tomás Ruiz", "05751 8830"],
):
    costs.append(row)
for row in costs.iter_rows(min_row=4, max_row=7):
    row[2].number_format = '#,##0.00 "€"'
    row[3].number_format = "0.0%"
trees = book.create_sheet("Trees 2023")
table = [("Number", "Variety", "Grafted"), (17, "Goldparmäne", 1911), (44, "Boskoop", 1938), (58, "苹果", 1952)]
for number, cells in enumerate(table, start=2):
    for column, cell in enumerate(cells, start=2):
        trees.cell(number, column, cell)
book.create_sheet("Empty")
book.properties.title = "Costs of the roof"
book.save("sheets-openpyxl.xlsx")
