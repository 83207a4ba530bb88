import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { keyLine } from '../support/key-line.js';
import { fingerprint, line, newHelperScene, offered, other } from '../support/openssh/helper-scene.js';
import { answers, gives, hangs, KeyService } from '../support/openssh/key-service.js';
import { sharedHelper, testHelper, TOKEN, type HelperSetup } from '../support/openssh/ssh-helper.js';

const program = await sharedHelper();
let service: KeyService;
let helper: HelperSetup;

const CACHED = { status: 0, out: `${offered}\n` };
const REFUSED = { status: 1, out: '' };

beforeEach(async () => {
  ({ service, helper } = await newHelperScene(program, gives(offered), 'cache-time 1h'));
});

const entries = () => readdir(join(helper.cache, 'entries'));
const questions = () => readdir(join(helper.cache, 'questions'));
const entryPath = async () => join(helper.cache, 'entries', (await entries())[0]!);

describe('while the service is down', () => {
  it('a key that it gave before works, and the log says from when the answer is', async () => {
    await helper.keys('ann', line);
    service.does(answers(503));
    const cached = await helper.keys('ann', line);
    expect(cached).toMatchObject(CACHED);
    expect(cached.errors).toMatch(/accepted a key of user "ann" from the cache, checked \d+s ago/);
    await service.close();
    expect(await helper.keys('ann', line)).toMatchObject(CACHED);
  });

  it('that key works for no other user, no other key works, and nothing works without a cache', async () => {
    await helper.keys('ann', line);
    service.does(answers(503));
    expect(await helper.keys('bob', line)).toMatchObject(REFUSED);
    expect(await helper.keys('ann', other)).toMatchObject(REFUSED);
    await helper.configure([service.url]);
    expect(await helper.keys('ann', line)).toMatchObject(REFUSED);
  });

  it('a key works for the cache time and no longer', async () => {
    await helper.configure([service.url], 'cache-time 3s');
    await helper.keys('ann', line);
    service.does(answers(503));
    expect(await helper.keys('ann', line)).toMatchObject(CACHED);
    await sleep(3_100);
    expect(await helper.keys('ann', line)).toMatchObject(REFUSED);
    expect(await entries()).toEqual([]);
    // A longer time does not bring it back.
    await helper.configure([service.url], 'cache-time 1h');
    expect(await helper.keys('ann', line)).toMatchObject(REFUSED);
  });

  it('a key that it refused in between does not work', async () => {
    await helper.keys('ann', line);
    service.does(gives());
    expect(await helper.keys('ann', line)).toMatchObject({ status: 0, out: '' });
    service.does(answers(503));
    expect(await helper.keys('ann', line)).toMatchObject(REFUSED);
  });

  it('a key does not work whose removal overtook an earlier answer', async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    service.does(async (request, response) => {
      asked.resolve();
      await answered.promise;
      await gives(offered)(request, response);
    });
    const early = helper.keys('ann', line);
    await asked.promise;
    service.does(gives());
    expect(await helper.keys('ann', line)).toMatchObject({ status: 0, out: '' });
    answered.resolve();
    expect(await early).toMatchObject(CACHED);
    service.does(answers(503));
    expect(await helper.keys('ann', line)).toMatchObject(REFUSED);
  });

  it('no key works if one address refuses the token', async () => {
    await helper.keys('ann', line);
    const refusing = await KeyService.ofTest(answers(401));
    service.does(answers(503));
    await helper.configure([refusing.url, service.url], 'cache-time 1h');
    const { status, out, errors } = await helper.keys('ann', line);
    expect([status, out]).toEqual([1, '']);
    expect(errors).toContain('the access token is not accepted');
  });

  it('no key works with another token', async () => {
    await helper.keys('ann', line);
    service.does(answers(503));
    await helper.setToken(TOKEN.replace('a', 'b'));
    expect(await helper.keys('ann', line)).toMatchObject(REFUSED);
  });

  it('a login waits for no longer than the time limit', async () => {
    await helper.configure([service.url], 'cache-time 1h', 'timeout 400ms');
    await helper.keys('ann', line);
    service.does(hangs);
    const { milliseconds, ...cached } = await helper.keys('ann', line);
    expect(cached).toMatchObject(CACHED);
    expect(milliseconds).toBeLessThan(2_500);
  });
});

describe('an entry', () => {
  it('is private and reveals neither user nor key', async () => {
    await helper.keys('ann', line);
    const path = await entryPath();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(helper.cache, 'entries'))).mode & 0o777).toBe(0o700);
    const text = path + (await readFile(path, 'latin1'));
    for (const secret of ['ann', fingerprint, offered, TOKEN]) expect(text).not.toContain(secret);
    expect(await questions()).toEqual([]);
  });

  it('that was changed, or renamed from another key, does not count', async () => {
    await helper.keys('ann', line);
    const path = await entryPath();
    const content = await readFile(path);
    service.does(gives(other));
    await helper.keys('bob', other);
    const ofBob = (await entries()).find((name) => !path.endsWith(name))!;
    const contentOfBob = await readFile(join(helper.cache, 'entries', ofBob));
    service.does(answers(503));
    await writeFile(path, contentOfBob);
    expect(await helper.keys('ann', line)).toMatchObject(REFUSED);
    for (const index of [0, 12, content.length - 1]) {
      const changed = Buffer.from(content);
      changed[index]! ^= 1;
      await writeFile(path, changed);
      expect(await helper.keys('ann', line)).toMatchObject(REFUSED);
    }
    await writeFile(path, content);
    expect(await helper.keys('ann', line)).toMatchObject(CACHED);
  });

  it('is one of at most 4,096, of which the oldest give way', async () => {
    await helper.keys('ann', line);
    const path = await entryPath();
    await utimes(path, new Date(), new Date(Date.now() - 60_000));
    const names = Array.from({ length: 4_100 }, (_, index) => join(helper.cache, 'entries', `OTHER${index}`));
    await Promise.all(names.map((name) => writeFile(name, 'x')));
    service.does(gives(other));
    await helper.keys('bob', other);
    const left = await entries();
    expect(left).toHaveLength(4_096);
    expect(left).not.toContain(path.slice(-52));
    service.does(answers(503));
    expect(await helper.keys('bob', other)).toMatchObject({ status: 0 });
  });

  it('is not made for keys that the service does not give', async () => {
    service.does(gives());
    for (let count = 0; count < 20; count++) await helper.keys('ann', keyLine(`key ${count}`).line);
    expect([await entries(), await questions()]).toEqual([[], []]);
  });
});

it('entries of every age, and questions without an answer, pass the tests of the program', testHelper);

describe('the configuration is refused', () => {
  /** Runs the helper and returns its complaint. */
  const complaint = async () => {
    const { status, out, errors } = await helper.keys('ann', line);
    expect([status, out]).toEqual([1, '']);
    expect(service.received).toEqual([]);
    return errors;
  };

  it('if other users can write to its file', async () => {
    for (const mode of [0o664, 0o646]) {
      await chmod(helper.config, mode);
      expect(await complaint()).toContain(
        `other users can write to ${helper.config}. Run: chmod go-w ${helper.config}`,
      );
    }
  });

  it('if other users can read or write the token', async () => {
    await chmod(helper.tokenFile, 0o604);
    expect(await complaint()).toContain(`chmod o= ${helper.tokenFile}`);
    await chmod(helper.tokenFile, 0o620);
    expect(await complaint()).toContain(`chmod go-w ${helper.tokenFile}`);
  });

  it('if other users can replace its file', async () => {
    await chmod(helper.folder, 0o777);
    expect(await complaint()).toContain(`other users can write to ${helper.folder}`);
  });

  it('if a link leads to a folder that other users can write to', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keyfold-link-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const link = join(folder, 'link.conf');
    await symlink(helper.config, link);
    expect(await helper.run(['check'], {}, link)).toMatchObject({ status: 0 });
    await chmod(helper.folder, 0o777);
    const { status, errors } = await helper.run(['check'], {}, link);
    expect(status).toBe(1);
    expect(errors).toContain(`other users can write to ${helper.folder}`);
  });

  it.each([
    ['an unknown setting', 'addres http://127.0.0.1', 'line 7: addres: unknown setting'],
    ['a time that is none', 'timeout soon', 'expected a duration from 1ms to 30s'],
    ['a time that is too long', 'cache-time 200h', 'expected a duration from 0s to 168h0m0s'],
    ['an address with a password', 'address http://a:b@localhost', 'expected http://HOST:PORT'],
    ['a relative path', 'ca-file ca.pem', 'expected an absolute path'],
  ])('for %s', async (_case, added, message) => {
    await helper.configure([service.url], added);
    expect(await complaint()).toContain(message);
  });

  it('for a token that is none', async () => {
    await helper.setToken('kf_short');
    expect(await complaint()).toContain('does not contain an access token of Keyfold');
  });

  it('without an address', async () => {
    await helper.configure([]);
    expect(await complaint()).toContain('address is missing');
  });
});

it('a cache folder that other users can enter is not used, and keys still work', async () => {
  await chmod(helper.cache, 0o755);
  const { out, errors } = await helper.keys('ann', line);
  expect(out).toBe(`${offered}\n`);
  expect(errors).toContain('the cache is not used');
  expect(await readdir(helper.cache)).toEqual([]);
});
