import { fileProtocols, type FileProtocol } from '../kernel/file-protocols.js';

/** The protocols that an app password can be limited to. `any` stands for all of them. */
export const appPasswordProtocols = [...fileProtocols, 'any'] as const;
export type AppPasswordProtocol = (typeof appPasswordProtocols)[number];

/** Returns whether an app password for `granted` opens a login over `wanted`. */
export const grantsProtocol = (granted: AppPasswordProtocol, wanted: FileProtocol): boolean =>
  granted === 'any' || granted === wanted;
