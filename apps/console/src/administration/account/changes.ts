import type { components } from '../../api/openapi.js';

export type Account = components['schemas']['UserResponse'];

/** The fields that the form shows. */
export type Edited = Pick<Account, 'username' | 'base_path' | 'sso_id' | 'permission'>;
const FIELDS = ['username', 'base_path', 'sso_id', 'permission'] as const satisfies readonly (keyof Edited)[];
export type EditedField = (typeof FIELDS)[number];

export const editedOf = ({ username, base_path, sso_id, permission }: Account): Edited => ({
  username,
  base_path,
  sso_id,
  permission,
});

/** Returns the fields that somebody changed in the form. */
export const changesOf = (loaded: Account, edited: Edited): Partial<Edited> =>
  Object.fromEntries(FIELDS.filter((field) => edited[field] !== loaded[field]).map((field) => [field, edited[field]]));

/** Returns the changed fields that somebody else changed as well, to another value. */
export const collisionsOf = (loaded: Account, present: Account, changes: Partial<Edited>): EditedField[] =>
  FIELDS.filter((field) => field in changes && present[field] !== loaded[field] && present[field] !== changes[field]);
