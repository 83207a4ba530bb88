/** The archives that the front end offers to look into; it refuses to start without a list (wire contract 2.6). */
export const archiveExtensions = ['.zip', '.tar', '.gz', '.tgz', '.bz2', '.xz', '.7z', '.rar', '.iso'] as const;
