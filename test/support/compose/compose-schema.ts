import { Ajv2020 } from 'ajv/dist/2020.js';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The library that Docker Compose uses to read files. It includes the schema of the Compose Specification. */
const LIBRARY = 'github.com/compose-spec/compose-go/v2@v2.16.2';

/**
 * Validates a document against the schema of the Compose Specification and returns one line for each problem. The
 * schema comes from the Go module proxy, which verifies its checksum. Rejects with a one-line error if
 * something is missing.
 */
export async function composeProblems(document: unknown): Promise<string[]> {
  const schema = JSON.parse(await readFile(join(await library(), 'schema/compose-spec.json'), 'utf8')) as object;
  // `duration` and the like are formats of Docker; the runner parses them.
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
    throw new Error(`${LIBRARY}: go and a module proxy are required: ${(error as Error).message}`, { cause: error });
  }
}
