import { expect, it } from 'vitest';
import { fileProtocols, mayLogInOver, mayWriteOver } from './file-protocols.js';

const granted = (permission: number) =>
  fileProtocols.flatMap((protocol) => [
    ...(mayLogInOver(protocol, permission) ? [`${protocol} log in`] : []),
    ...(mayWriteOver(protocol, permission) ? [`${protocol} write`] : []),
  ]);

it.each([
  [8, ['webdav log in']],
  [9, ['webdav write']],
  [10, ['sftp log in', 'ftp log in']],
  [11, ['sftp write', 'ftp write']],
])('bit %i permits: %s', (bit, rights) => {
  expect(granted(1 << bit)).toEqual(rights);
});

it('web needs no bit, and never writes', () => {
  expect([mayLogInOver('web', 0), mayWriteOver('web', ~0)]).toEqual([true, false]);
});

it('no other bit permits anything', () => {
  expect(granted(~(0b1111 << 8) & 0xff_ff)).toEqual([]);
});
