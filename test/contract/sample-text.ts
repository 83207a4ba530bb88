/** A token, a secret and a picture that stand for recorded ones. They work nowhere. */
const TOKEN = [
  { alg: 'HS256', typ: 'JWT' },
  { username: 'bob', pwd_ts: 1768478400, exp: 1768651200, nbf: 1768478400, iat: 1768478400 },
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .concat('c2lnbmF0dXJlLW9mLWFuLWV4YW1wbGU')
  .join('.');
export const SAMPLE_SECRET = 'KEYFOLDEXAMPLEKEYFOLDEXAMPLE2345';
export const SAMPLE_ACCOUNT_ID = 3;
/** Keys of the account have this id plus 1, 2 and so on (wire contract 3.3). */
const KEY_IDS = SAMPLE_ACCOUNT_ID * 2 ** 20;

const SAMPLES: Readonly<Record<string, string>> = {
  jwt: TOKEN,
  int: String(SAMPLE_ACCOUNT_ID),
  time: '2026-01-15T12:00:00.000Z',
  secret: SAMPLE_SECRET,
  png: 'data:image/png;base64,iVBORw0KGgo=',
  fingerprint: 'SHA256:w/sZ2og5dZcg95l65kOGf55d+b0BAJfMmPZIM8R9P6Y',
  text: 'a text',
  any: 'null',
};

/** The fields that Keyfold adds to each listed key. */
const KEY_FIELDS =
  ',"type":"ssh-ed25519","bits":256,"comment":"bob@laptop","fingerprint_md5":"MD5:de:6f:7c:a9:e1:33:e3:af:f3:79:96:bd:7b:a3:9b:5a"' +
  ',"expires_time":null,"expired":false';

/**
 * Returns a recorded text with plausible values instead of its placeholders, the same each time, and accounts without the number of their
 * case. Listed keys get the fields that Keyfold adds. Throws for an unknown placeholder.
 */
export function sampleText(template: string): string {
  let keys = 0;
  return template
    .replaceAll(/\b([a-z]+)-[a-z]\d+\b/g, '$1')
    .replaceAll(/"last_used_time":"[^"]*"/g, (last) => last + KEY_FIELDS)
    .replaceAll('"id":<<int>>,"title"', () => `"id":${KEY_IDS + ++keys},"title"`)
    .replaceAll(/<<([a-z]+)(?::\w+)?>>/g, (placeholder, kind: string) => {
      const sample = SAMPLES[kind];
      if (sample === undefined) throw new Error(`unknown placeholder ${placeholder}`);
      return sample;
    });
}
