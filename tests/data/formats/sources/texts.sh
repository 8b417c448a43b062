#!/bin/sh
# Makes orchard-* anew from known.md: needs pandoc 2.17 and the package's own Python. Run in this folder.
set -eu
for format in org rst latex ipynb; do
    case $format in latex) suffix=tex ;; *) suffix=$format ;; esac
    pandoc --standalone --wrap=auto --to "$format" known.md --output "../orchard-pandoc.$suffix"
done
pandoc --standalone --wrap=auto --template page.html --to html5 known.md --output ../orchard-saved.html
python texts.py
