import { fileProtocols, type FileProtocol } from '../kernel/file-protocols.js';

/** What an app password can be limited to. */
export const appPasswordProtocols = [...fileProtocols, 'any'] as const;
export type AppPasswordProtocol = (typeof appPasswordProtocols)[number];

/** Returns whether an app password for `granted` opens a login over `wanted`. */
export const grantsProtocol = (granted: AppPasswordProtocol, wanted: FileProtocol): boolean =>
  granted === 'any' || granted === wanted;
