import { t } from '../texts/texts.js';

/** The permissions by bit (wire contract 3.2). */
export const PERMISSIONS = [
  'seeHidden',
  'skipFolderPasswords',
  'downloadOffline',
  'upload',
  'rename',
  'move',
  'copy',
  'remove',
  'readWebdav',
  'writeWebdav',
  'readFtp',
  'writeFtp',
  'readArchives',
  'unpackArchives',
  'share',
  'chooseShareIds',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const isPermitted = (bits: number, permission: Permission): boolean =>
  (bits & (1 << PERMISSIONS.indexOf(permission))) !== 0;

/** Returns the bits with a permission given or taken. Bits without a name stay. */
export function withPermission(bits: number, permission: Permission, given: boolean): number {
  const bit = 1 << PERMISSIONS.indexOf(permission);
  return given ? bits | bit : bits & ~bit;
}

export const permissionsIn = (bits: number): Permission[] => PERMISSIONS.filter((each) => isPermitted(bits, each));

/** Names the role of an account. Other programs may have set roles that the service does not know. */
export function roleName(role: number): string {
  const { general, guest, administrator } = t.roles;
  return [general, guest, administrator][role] ?? String(role);
}
