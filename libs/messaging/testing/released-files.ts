import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { format } from 'prettier';
import type { JsonSchema } from '../src/public-events/event-schemas.js';

const ROOT = resolve(import.meta.dirname, '../../..');
const SCHEMAS = resolve(import.meta.dirname, '../schemas');

/** A released schema. */
export type Release = Readonly<{ type: string; version: string; schema: JsonSchema }>;

/** Reads every released schema, the versions of each type in ascending order. */
export const readReleases = (): readonly Release[] =>
  foldersOf(SCHEMAS).flatMap((type) =>
    readdirSync(resolve(SCHEMAS, type))
      .map((file) => file.replace(/\.json$/, ''))
      .toSorted(byVersion)
      .map((version) => ({ type, version, schema: schemaIn(fileOf(type, version)) })),
  );

const schemaIn = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as JsonSchema;

/** Writes the file of a new version. Never changes an existing file. */
export async function release({ type, version, schema }: Release): Promise<void> {
  const file = fileOf(type, version);
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await asJsonFile(schema));
}

/** The path of the AsyncAPI document. */
export const ASYNCAPI_FILE = resolve(ROOT, 'asyncapi.json');

/** Formats JSON with prettier. */
export const asJsonFile = (value: unknown) => format(JSON.stringify(value), { parser: 'json', printWidth: 120 });

/** Compares versions numerically, for sorting. */
export function byVersion(one: string, other: string): number {
  const [first, second] = [one, other].map((version) => version.split('.').map(Number));
  return [0, 1, 2].map((n) => (first?.[n] ?? 0) - (second?.[n] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

function fileOf(type: string, version: string): string {
  return resolve(SCHEMAS, type, `${version}.json`);
}

function foldersOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
}
