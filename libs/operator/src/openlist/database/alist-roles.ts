import { cleanBasePath, ROLE_ADMIN, ROLE_GUEST } from '@keyfold/domain';
import { z } from 'zod';
import type { RoleRights } from './openlist-rows.js';

/** A role of AList 3.46 and later. `rights` is JSON: bits for each folder, which also apply below it. */
export type AlistRole = Readonly<{ name: string; rights: string }>;

/** The bits that mean the same in AList and in OpenList. AList has other rights behind bits 14 to 16. */
export const COMMON_BITS = 0x3fff;

const roleList = z.array(z.int()).nullable();
const scopeList = z.array(z.object({ path: z.string().default(''), permission: z.int32().default(0) })).nullable();

/** Returns the ids of the roles in the column `role`; undefined if it contains no list. */
export const roleIdsIn = (text: string): readonly number[] | undefined => parsed(roleList, text);

/**
 * Returns what the roles give an account, by their names and not by the id of the account. Here an account has the same rights in all of its
 * base path, so it gets those that every folder of it has. Returns undefined for rights that AList does not write.
 */
export function rightsOf(roles: readonly AlistRole[], basePath: string): RoleRights | undefined {
  const lists = roles.map(({ rights }) => (rights === '' ? [] : parsed(scopeList, rights)));
  if (lists.includes(undefined)) return undefined;
  const scopes = lists.flatMap((list) => list ?? []).map((scope) => ({ ...scope, path: cleanBasePath(scope.path) }));
  const base = cleanBasePath(basePath);
  const hasWhole = scopes.some(({ path }) => contains(path, base));
  // Without a right in the base path itself, AList shows nothing but these folders.
  const within = [...new Set(scopes.map(({ path }) => path).filter((path) => contains(base, path)))];
  const folder = within.find((path) => within.every((other) => contains(path, other)));
  const narrowed = !hasWhole && folder !== undefined ? folder : base;
  const bits = bitsOf(scopes.filter(({ path }) => contains(path, narrowed)));
  const all = bitsOf(scopes);
  const before = [...within.slice(0, 3), ...(within.length > 3 ? ['…'] : [])].join(', ') || 'nothing';
  const names = new Set(roles.map(({ name }) => name));
  return {
    role: names.has('admin') ? ROLE_ADMIN : Number(names.has('guest')) * ROLE_GUEST,
    basePath: narrowed,
    permission: bits & COMMON_BITS,
    widened: hasWhole || narrowed !== base ? '' : `${before} before, now all of ${base}`,
    notes: [
      ...(narrowed === base ? [] : [`only ${narrowed} of ${base}, as its roles allow`]),
      ...((all & ~bits & COMMON_BITS) === 0
        ? []
        : ['roles differ by folder: only rights valid in every folder are kept']),
      ...((all & ~COMMON_BITS) === 0 ? [] : ['permission bits 14 to 16 of AList are ignored']),
    ],
  };
}

const contains = (folder: string, path: string) => folder === '/' || path === folder || path.startsWith(`${folder}/`);

const bitsOf = (scopes: readonly Readonly<{ permission: number }>[]) =>
  scopes.reduce((bits, { permission }) => bits | permission, 0);

/** Returns the value of a list in JSON, empty for null; undefined if it is no such list. */
function parsed<Item>(schema: z.ZodType<readonly Item[] | null>, json: string): readonly Item[] | undefined {
  try {
    return schema.parse(JSON.parse(json)) ?? [];
  } catch {
    return undefined;
  }
}
