import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installPinnedPackages } from './pinned-packages.js';

/** Validates a bill of materials against the published schema of CycloneDX 1.5 and returns one line for each problem. */
export async function problemsOfSbom(sbom: object): Promise<string[]> {
  const packages = await installPinnedPackages(join(import.meta.dirname, 'cyclonedx.txt'));
  const schema = async (name: string) => {
    const text = await readFile(join(packages, `cyclonedx/schema/_res/${name}.SNAPSHOT.schema.json`), 'utf8');
    return JSON.parse(text) as object;
  };
  // Ajv does not know the formats of internationalized addresses.
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { 'iri-reference': true, 'idn-email': true } });
  formats.default(ajv, ['date-time', 'uri']);
  for (const name of ['spdx', 'jsf-0.82']) {
    ajv.addSchema(await schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  }
  const validate = ajv.compile(await schema('bom-1.5'));
  validate(sbom);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
