/** The protocols through which file servers accept passwords. */
export const fileProtocols = ['sftp', 'webdav', 'ftp'] as const;
export type FileProtocol = (typeof fileProtocols)[number];

/** What an app password can be limited to. */
export const appPasswordProtocols = [...fileProtocols, 'any'] as const;
export type AppPasswordProtocol = (typeof appPasswordProtocols)[number];

/** Returns whether an app password for `granted` opens a login through `wanted`. */
export const grantsProtocol = (granted: AppPasswordProtocol, wanted: FileProtocol): boolean =>
  granted === 'any' || granted === wanted;
