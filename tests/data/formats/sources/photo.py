"""Writes photo.jpg into the current folder: a picture with the data that a camera (EXIF) and a program for photos (XMP) write."""

from PIL import Image
from PIL.ExifTags import GPS, IFD, Base

XMP = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
 xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" photoshop:City="Rinteln" photoshop:Country="Germany">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">The press of 1949</rdf:li></rdf:Alt></dc:title>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">Anneke turns the screw by hand.</rdf:li></rdf:Alt></dc:description>
<dc:subject><rdf:Bag><rdf:li>press</rdf:li><rdf:li>juice</rdf:li></rdf:Bag></dc:subject>
<Iptc4xmpExt:PersonInImage><rdf:Bag><rdf:li>Anneke Smit</rdf:li></rdf:Bag></Iptc4xmpExt:PersonInImage>
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>"""

exif = Image.Exif()
exif[Base.Make], exif[Base.Model] = "Canon", "Canon EOS R6"
exif.get_ifd(IFD.Exif)[Base.DateTimeOriginal] = "2023:10:14 11:05:40"
exif.get_ifd(IFD.GPSInfo).update(
    {
        GPS.GPSLatitudeRef: "N",
        GPS.GPSLatitude: (52.0, 11.0, 12.0),
        GPS.GPSLongitudeRef: "E",
        GPS.GPSLongitude: (9.0, 4.0, 48.0),
    }
)
Image.new("RGB", (64, 48), "brown").save("photo.jpg", exif=exif, xmp=XMP.encode())
