import type { TokenAnswer } from './recording.js';
import { templateDifference } from './template.js';

/** Returns a sentence for each difference in a JWT. Does not check the signature. */
export function tokenDifferences(expected: TokenAnswer, token: string): string[] {
  const [header = '', claims = ''] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  const values = JSON.parse(claims) as Record<string, unknown>;
  const lifetime = Number(values['exp']) - Number(values['iat']);
  return [
    ...textDifference('header', expected.header, header),
    ...textDifference('claims', expected.claims, claims),
    ...(expected.lifetime === undefined || expected.lifetime === lifetime
      ? []
      : [`lifetime: expected ${expected.lifetime} s, got ${lifetime} s`]),
    ...Object.entries(expected.hasClaims ?? {})
      .filter(([name, type]) => typeof values[name] !== type)
      .map(([name, type]) => `claim ${name}: expected a ${type}, got ${JSON.stringify(values[name])}`),
  ];
}

function textDifference(field: string, template: string | undefined, text: string): string[] {
  const difference = template === undefined ? undefined : templateDifference(template, text);
  return difference === undefined ? [] : [`${field}: ${difference}`];
}
