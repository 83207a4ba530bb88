import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { asyncApiDocument } from './asyncapi.document.js';
import { sampleMessageOf } from './sample-events.js';

const guide = readFileSync(new URL('../../../../docs/connect/events.md', import.meta.url), 'utf8');

/** Returns the text between a heading and the next one. */
const section = (heading: string) => guide.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

/** Returns the JSON blocks of a section. */
const shownIn = (heading: string) =>
  [...section(heading).matchAll(/```json\n(.*?)```/gs)].map(([, block]) => JSON.parse(block ?? '') as unknown);

it('the guide shows the sample message', () => {
  const shown = shownIn('Message format');
  const { headers, body } = sampleMessageOf('ssh-key.added');
  expect(shown).toEqual([headers, JSON.parse(body.toString())]);
});

it('the guide shows two replies of the AsyncAPI document, one with keys and one with an error', () => {
  const replies = asyncApiDocument().components.messages['ssh-keys.look-up.reply'].examples;
  const [withKeys, , withError] = replies.map(({ payload }) => payload);
  expect(shownIn('Sending to Keyfold')).toEqual([withKeys, withError]);
});
