import { Ajv2020 } from 'ajv/dist/2020.js';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The library with which Docker Compose reads files: it has the schema that the Compose Specification publishes. */
const LIBRARY = 'github.com/compose-spec/compose-go/v2@v2.16.2';

/**
 * One line for each place where a document is no compose file. The schema comes from the module proxy of Go, which checks its sum; throws one
 * line that says what is missing.
 */
export async function composeProblems(document: unknown): Promise<string[]> {
  const schema = JSON.parse(await readFile(join(await library(), 'schema/compose-spec.json'), 'utf8')) as object;
  // Formats such as `duration` are those of Docker; the runner reads them.
  const validate = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
  if (validate(document)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

async function library(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', LIBRARY]);
    return (JSON.parse(stdout) as { Dir: string }).Dir;
  } catch (error) {
    throw new Error(`${LIBRARY}: go and a module proxy are needed: ${(error as Error).message}`, { cause: error });
  }
}
