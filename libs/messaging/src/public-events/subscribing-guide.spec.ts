import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { definitionOf, publicEventTypes } from './public-events.js';
import { sampleMessageOf } from './sample-events.js';

const guide = readFileSync(new URL('../../../../docs/subscribing.md', import.meta.url), 'utf8');

/** The text below a heading, up to the next one. */
const section = (heading: string) => guide.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

it('the guide lists every public event as the registry does', () => {
  const rows = section('Events')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
  const expected = publicEventTypes.map((type) => {
    const { when, version, since } = definitionOf(type);
    return [`\`${type}\``, when, version, since];
  });
  expect(rows).toEqual(expected);
});

it('the guide shows a message as it is sent', () => {
  const shown = [...section('A message').matchAll(/```json\n(.*?)```/gs)].map(
    ([, block]) => JSON.parse(block ?? '') as unknown,
  );
  const { headers, body } = sampleMessageOf('ssh-key.added');
  expect(shown).toEqual([headers, JSON.parse(body.toString())]);
});
