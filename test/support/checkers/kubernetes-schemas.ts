import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from './kustomize.js';
import { installPinnedPackages } from './pinned-packages.js';

const REQUIREMENTS = join(import.meta.dirname, 'kubernetes-schemas.txt');

/** Validates objects against the published schemas of one Kubernetes version. Unknown fields are errors. */
export class KubernetesSchemas {
  readonly #validators = new Map<string, Promise<ValidateFunction>>();

  private constructor(
    private readonly folder: string,
    private readonly ajv: Ajv2020,
  ) {}

  /** Loads the schemas of a `version` such as `1.30`. */
  static async of(version: string): Promise<KubernetesSchemas> {
    const packages = await installPinnedPackages(REQUIREMENTS);
    const folder = join(packages, 'kubernetes_validate/kubernetes-json-schema', `v${version}.0-local-strict`);
    // The schemas use Kubernetes formats (int-or-string), which repeat what the types say.
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    ajv.addSchema(await schemaIn(folder, '_definitions'), '_definitions.json');
    return new KubernetesSchemas(folder, ajv);
  }

  /** Returns one line for each problem. */
  async problemsOf(manifest: Manifest): Promise<string[]> {
    const validate = await this.#validatorOf(manifest);
    const isValid: boolean = validate(manifest);
    if (isValid) return [];
    const { kind, metadata } = manifest;
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${kind} ${metadata.name}${instancePath}: ${message} ${JSON.stringify(params)}`,
    );
  }

  #validatorOf({ apiVersion, kind }: Manifest): Promise<ValidateFunction> {
    // The file name of networking.k8s.io/v1 contains networking-v1.
    const name = `${kind.toLowerCase()}-${apiVersion.replace(/^([^./]*)(?:\.[^/]*)?\//, '$1-')}`;
    const known = this.#validators.get(name) ?? schemaIn(this.folder, name).then((schema) => this.ajv.compile(schema));
    this.#validators.set(name, known);
    return known;
  }
}

const schemaIn = async (folder: string, name: string) =>
  JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as object;
