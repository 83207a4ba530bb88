import { SqliteFile } from '@keyfold/event-store/sqlite';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../event-store/testing/open-sqlite.js';
import { connectTo } from '../../testing/embedded-throttle.js';
import { describeLoginHours } from '../../testing/login-hours.contract.js';
import { loginHoursTable, SqliteLoginHours } from './sqlite-login-hours.js';

function openFile(): SqliteFile {
  const schema = { version: 1, synchronous: 'NORMAL', sql: loginHoursTable } as const;
  const file = new SqliteFile(join(temporaryFolder(), 'views.db'), schema);
  onTestFinished(() => file.close());
  return file;
}

describeLoginHours('SQLite', async () => {
  const file = openFile();
  return { hours: new SqliteLoginHours(file), join: async () => new SqliteLoginHours(connectTo(file)) };
});

it('the table keeps 48 hours', async () => {
  const hours = new SqliteLoginHours(openFile());
  for (let hour = 1; hour <= 60; hour++) await hours.add([{ hour, accepted: 1, refused: 0 }]);
  expect((await hours.between(0, 100)).map(({ hour }) => hour)).toEqual(Array.from({ length: 48 }, (_, n) => n + 13));
});
