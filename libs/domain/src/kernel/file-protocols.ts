/** The protocols over which file servers let accounts in. */
export const fileProtocols = ['sftp', 'webdav', 'ftp'] as const;
export type FileProtocol = (typeof fileProtocols)[number];
