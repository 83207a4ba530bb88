import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unknownSettings } from './unknown-settings.js';

const reference = readFileSync(resolve(import.meta.dirname, '../../../../docs/reference/settings.md'), 'utf8');
const documented = [...reference.matchAll(/^\| `(KEYFOLD_\w+)`/gm)].map(([, name]) => name ?? '');

describe('a misspelt setting', () => {
  it.each([
    ['KEYFOLD_PROT', 'KEYFOLD_PORT'],
    ['KEYFOLD_HOTS', 'KEYFOLD_HOST'],
    ['KEYFOLD_MONGODB_URL', 'KEYFOLD_MONGODB_URI'],
    ['KEYFOLD_MONGO_URI', 'KEYFOLD_MONGODB_URI'],
    ['KEYFOLD_LOGLEVEL', 'KEYFOLD_LOG_LEVEL'],
    ['KEYFOLD_TRUSTED_PROXY', 'KEYFOLD_TRUSTED_PROXIES'],
    ['KEYFOLD_SESSIONS_DAYS', 'KEYFOLD_SESSION_DAYS'],
    ['KEYFOLD_DATADIR', 'KEYFOLD_DATA_DIR'],
    ['KEYFOLD_TOKEN_SECRET_FLIE', 'KEYFOLD_TOKEN_SECRET_FILE'],
  ])('%s is reported with the suggestion %s', (name, meant) => {
    expect(unknownSettings({ [name]: 'x' })).toEqual([`${name} is not a setting. Did you mean ${meant}?`]);
  });

  it.each(['KEYFOLD_QUEUE', 'KEYFOLD_FUTURE', 'KEYFOLD_X', 'KEYFOLD_', 'KEYFOLD_PASSWORD_OF_THE_GUEST'])(
    'without a similar setting is reported without a suggestion: %s',
    (name) => {
      expect(unknownSettings({ [name]: 'x' })).toEqual([`${name} is not a setting`]);
    },
  );

  it('is reported once, without its value', () => {
    const reports = unknownSettings({ KEYFOLD_PROT: 's3cret', PATH: '/bin', KEYFOLD_SEALING_KEYS: 's3cret' });
    expect(reports).toHaveLength(2);
    expect(reports.join()).not.toContain('s3cret');
  });
});

describe('no warning is reported', () => {
  it.each(documented)('for %s and its file', (name) => {
    expect(unknownSettings({ [name]: 'x', [`${name}_FILE`]: 'x' })).toEqual([]);
  });

  it('for variables of other programs and empty ones', () => {
    expect(
      unknownSettings({ PORT: '1', OPENLIST_ADMIN_PASSWORD: 'x', MY_KEYFOLD_PROT: '1', KEYFOLD_PROT: '' }),
    ).toEqual([]);
  });

  it('for the variables that Kubernetes sets for services called keyfold and keyfold-gateway', () => {
    const links = ['KEYFOLD', 'KEYFOLD_GATEWAY'].map((service) => ({
      [`${service}_SERVICE_HOST`]: '10.0.0.1',
      [`${service}_SERVICE_PORT`]: '5244',
      [`${service}_SERVICE_PORT_HTTP`]: '5244',
      [`${service}_PORT`]: 'tcp://10.0.0.1:5244',
      [`${service}_PORT_5244_TCP`]: 'tcp://10.0.0.1:5244',
      [`${service}_PORT_5244_TCP_PROTO`]: 'tcp',
      [`${service}_PORT_5244_TCP_PORT`]: '5244',
      [`${service}_PORT_5244_TCP_ADDR`]: '10.0.0.1',
    }));
    expect(unknownSettings(Object.assign({}, ...links) as Record<string, string>)).toEqual([]);
  });
});

it('the reference has a table of settings', () => {
  expect(documented.length).toBeGreaterThan(15);
});
