"""What the operating system is asked for: no network, private files, walls around processes that read what strangers wrote."""
