/** The archive types that front ends offer to open. They do not start without this list (wire contract 2.6). */
export const archiveExtensions = ['.zip', '.tar', '.gz', '.tgz', '.bz2', '.xz', '.7z', '.rar', '.iso'] as const;
