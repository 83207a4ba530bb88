import { describe, expect, it } from 'vitest';
import { given, stateAfter } from '../../testing/decider-specification.js';
import {
  addKey,
  keyAdded,
  keyRemoved,
  keyRenamed,
  publicKey,
  removeKey,
  updateKey,
} from '../../testing/ssh-key-ring.events.js';
import { LAST_KEY_NUMBER } from './ssh-key-id.js';
import { BYTES_PER_RING, bytesOfRing, KEYS_PER_ACCOUNT, sshKeyRingDecider } from './ssh-key-ring.decider.js';

const [laptop, phone] = [publicKey('laptop'), publicKey('phone')];
const keys = (count: number) => Array.from({ length: count }, (_, i) => keyAdded(i + 1, `key ${i + 1}`));

describe('AddSshKey', () => {
  it('adds the first key', () => {
    given(sshKeyRingDecider).when(addKey('laptop', laptop)).thenEvents(keyAdded(1, 'laptop')).thenHolds();
  });

  it('adds further keys under the next numbers', () => {
    given(sshKeyRingDecider, keyAdded(1, 'laptop')).when(addKey('phone', phone)).thenEvents(keyAdded(2, 'phone'));
  });

  it('never reuses the number of a removed key', () => {
    given(sshKeyRingDecider, keyAdded(1, 'laptop'), keyAdded(2, 'phone'), keyRemoved(2, phone))
      .when(addKey('phone', phone))
      .thenEvents(keyAdded(3, 'phone'));
  });

  it('accepts title and key of a removed key', () => {
    given(sshKeyRingDecider, keyAdded(1, 'laptop'), keyRemoved(1, laptop))
      .when(addKey('laptop', laptop))
      .thenEvents(keyAdded(2, 'laptop'));
  });

  it.each(['Laptop', 'laptop ', ' laptop'])('distinguishes the title %j from "laptop"', (title) => {
    given(sshKeyRingDecider, keyAdded(1, 'laptop'))
      .when(addKey(title, phone))
      .thenEvents(keyAdded(2, title, phone));
  });

  it('adds the thousandth key', () => {
    given(sshKeyRingDecider, ...keys(KEYS_PER_ACCOUNT - 1))
      .when(addKey('key 1000', publicKey('key 1000')))
      .thenEvents(keyAdded(1000, 'key 1000'));
  });

  it('adds a key after one of a thousand was removed', () => {
    given(sshKeyRingDecider, ...keys(KEYS_PER_ACCOUNT), keyRemoved(5, publicKey('key 5')))
      .when(addKey('phone', phone))
      .thenEvents(keyAdded(1001, 'phone'));
  });

  it('refuses an existing title', () => {
    given(sshKeyRingDecider, keyAdded(1, 'laptop')).when(addKey('laptop', phone)).thenRefused('ssh-key-title-taken');
  });

  it('refuses a text that is not a key', () => {
    given(sshKeyRingDecider).when(addKey('laptop', undefined)).thenRefused('ssh-key-invalid');
  });

  it('refuses an existing key, whatever its title and comment', () => {
    given(sshKeyRingDecider, keyAdded(1, 'laptop'))
      .when(addKey('phone', { ...laptop, comment: 'another' }))
      .thenRefused('ssh-key-taken');
  });

  it('refuses the 1001st key', () => {
    given(sshKeyRingDecider, ...keys(KEYS_PER_ACCOUNT))
      .when(addKey('phone', phone))
      .thenRefused('ssh-key-limit-reached');
  });

  it('accepts a title of 1,024 bytes and refuses one of 1,025', () => {
    const title = 'ä'.repeat(512);
    given(sshKeyRingDecider)
      .when(addKey(title, phone))
      .thenEvents(keyAdded(1, title, phone));
    given(sshKeyRingDecider)
      .when(addKey(`${title}a`, phone))
      .thenRefused('ssh-key-title-too-long');
  });

  it('accepts keys of one mebibyte in total, including titles and comments, and not one byte more', () => {
    const filling = Array.from({ length: 66 }, (_, i) =>
      keyAdded(i + 1, `key ${i + 1}`, { ...publicKey(`key ${i + 1}`), comment: 'c'.repeat(15_600) }),
    );
    const rest = BYTES_PER_RING - bytesOfRing(stateAfter(sshKeyRingDecider, ...filling).keys);
    const withComment = (bytes: number) => ({ ...phone, comment: 'c'.repeat(bytes) });
    const last = rest - bytesOfRing([{ title: 'phone', key: withComment(0) }]);
    given(sshKeyRingDecider, ...filling)
      .when(addKey('phone', withComment(last)))
      .thenEvents(keyAdded(67, 'phone', withComment(last)));
    given(sshKeyRingDecider, ...filling)
      .when(addKey('phone', withComment(last + 1)))
      .thenRefused('ssh-key-limit-reached');
  });

  it('refuses a key if the key numbers of the account are used up', () => {
    const add = (keysEver: number) => sshKeyRingDecider.decide({ keys: [], keysEver }, addKey('phone', phone)).events;
    expect(add(LAST_KEY_NUMBER - 1)).toStrictEqual([keyAdded(LAST_KEY_NUMBER, 'phone')]);
    expect(() => add(LAST_KEY_NUMBER)).toThrow('ssh-key-limit-reached');
  });

  describe('with several reasons for refusal', () => {
    const full = keys(KEYS_PER_ACCOUNT);
    const first = publicKey('key 1');

    it('reports the title before the invalid key', () => {
      given(sshKeyRingDecider, ...full)
        .when(addKey('key 1', undefined))
        .thenRefused('ssh-key-title-taken');
    });

    it('reports the title before the existing key', () => {
      given(sshKeyRingDecider, ...full)
        .when(addKey('key 1', first))
        .thenRefused('ssh-key-title-taken');
    });

    it('reports the invalid key before the limit', () => {
      given(sshKeyRingDecider, ...full)
        .when(addKey('phone', undefined))
        .thenRefused('ssh-key-invalid');
    });

    it('reports the existing key before the limit', () => {
      given(sshKeyRingDecider, ...full)
        .when(addKey('phone', first))
        .thenRefused('ssh-key-taken');
    });
  });
});

describe('RemoveSshKey', () => {
  it('removes the key and records its fingerprint', () => {
    given(sshKeyRingDecider, keyAdded(1, 'laptop'), keyAdded(2, 'phone'))
      .when(removeKey(1))
      .thenEvents(keyRemoved(1, laptop))
      .thenHolds();
  });

  it.each([
    ['never existed', [keyAdded(1, 'laptop')], 2],
    ['was removed', [keyAdded(1, 'laptop'), keyRemoved(1, laptop)], 1],
  ])('refuses a key that %s', (_why, history, n) => {
    given(sshKeyRingDecider, ...history)
      .when(removeKey(n))
      .thenRefused('ssh-key-not-found');
  });
});

describe('UpdateSshKey', () => {
  const both = [keyAdded(1, 'laptop'), keyAdded(2, 'phone')];

  it('renames the key', () => {
    given(sshKeyRingDecider, ...both)
      .when(updateKey(1, { title: 'old laptop' }))
      .thenEvents(keyRenamed(1, 'old laptop'))
      .thenHolds();
  });

  it('changes nothing without a new title', () => {
    given(sshKeyRingDecider, ...both)
      .when(updateKey(1, {}))
      .thenNothing();
    given(sshKeyRingDecider, ...both)
      .when(updateKey(1, { title: 'laptop' }))
      .thenNothing();
  });

  it.each([
    ['of another key', 'phone', 'ssh-key-title-taken'],
    ['of more than 1,024 bytes', 'a'.repeat(1_025), 'ssh-key-title-too-long'],
  ] as const)('refuses a title %s', (_which, title, refusal) => {
    given(sshKeyRingDecider, ...both)
      .when(updateKey(1, { title }))
      .thenRefused(refusal);
  });

  it('accepts the former title of a key for another one', () => {
    given(sshKeyRingDecider, ...both, keyRenamed(1, 'old laptop'))
      .when(updateKey(2, { title: 'laptop' }))
      .thenEvents(keyRenamed(2, 'laptop'));
  });

  it('refuses a longer title in a ring of one mebibyte, but not a shorter one', () => {
    const comment = 'c'.repeat(15_600);
    const filling = Array.from({ length: 66 }, (_, i) =>
      keyAdded(i + 1, `key ${i + 1}`, { ...publicKey(`key ${i + 1}`), comment }),
    );
    const rest = BYTES_PER_RING - bytesOfRing(stateAfter(sshKeyRingDecider, ...filling).keys);
    const size = bytesOfRing([{ title: 'phone', key: { ...phone, comment: '' } }]);
    const full = [...filling, keyAdded(67, 'phone', { ...phone, comment: 'c'.repeat(rest - size) })];
    given(sshKeyRingDecider, ...full)
      .when(updateKey(67, { title: 'phones' }))
      .thenRefused('ssh-key-limit-reached');
    given(sshKeyRingDecider, ...full)
      .when(updateKey(67, { title: 'fones' }))
      .thenEvents(keyRenamed(67, 'fones'));
  });

  it('refuses a key that the ring does not contain', () => {
    given(sshKeyRingDecider, ...both)
      .when(updateKey(3, { title: 'desk' }))
      .thenRefused('ssh-key-not-found');
  });
});

describe('the state of a key ring', () => {
  it('is empty at first', () => {
    expect(stateAfter(sshKeyRingDecider)).toStrictEqual({ keys: [], keysEver: 0 });
  });

  it('lists the keys in the order of their addition and also counts removed ones', () => {
    const ring = stateAfter(
      sshKeyRingDecider,
      keyAdded(1, 'laptop'),
      keyAdded(2, 'phone'),
      keyRemoved(1, laptop),
      keyAdded(3, 'desk'),
    );
    expect(ring).toStrictEqual({ keys: [keyAdded(2, 'phone').data, keyAdded(3, 'desk').data], keysEver: 3 });
  });
});
