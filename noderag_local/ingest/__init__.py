"""From folders to documents: scan, decode, read, cut into sentences, pack into chunks."""

from noderag_local.ingest.chunk import ChunkSize, chunk_documents
from noderag_local.ingest.draft import Draft
from noderag_local.ingest.encodings import decode_slice
from noderag_local.ingest.read import Wanted, read_documents, read_drafts
from noderag_local.ingest.scan import Scan, scan

__all__ = [
    "ChunkSize",
    "Draft",
    "Scan",
    "Wanted",
    "chunk_documents",
    "decode_slice",
    "read_documents",
    "read_drafts",
    "scan",
]
