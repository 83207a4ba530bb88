import { expect, it } from 'vitest';
import { changesOf, collisionsOf, editedOf, type Account } from './changes.js';

const ann: Account = {
  id: 7,
  username: 'ann',
  password: '',
  base_path: '/',
  role: 0,
  disabled: false,
  permission: 8,
  sso_id: '',
  allow_ldap: true,
};

it('only the fields that somebody changed are changes', () => {
  expect(changesOf(ann, editedOf(ann))).toEqual({});
  expect(changesOf(ann, { ...editedOf(ann), username: 'anna', permission: 9 })).toEqual({
    username: 'anna',
    permission: 9,
  });
});

it('changes collide with those of somebody else in the same field, unless both are the same', () => {
  const changes = { username: 'anna', permission: 9 };
  expect(collisionsOf(ann, { ...ann, base_path: '/home', disabled: true }, changes)).toEqual([]);
  expect(collisionsOf(ann, { ...ann, username: 'anna' }, changes)).toEqual([]);
  expect(collisionsOf(ann, { ...ann, username: 'annika', permission: 0 }, changes)).toEqual(['username', 'permission']);
});
