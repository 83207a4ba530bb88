import { join, resolve } from 'node:path';

export type Component = Readonly<{
  'bom-ref': string;
  type: string;
  name: string;
  version: string;
  purl?: string;
  licenses?: readonly Readonly<{ license: { id: string } }>[];
}>;
type Contents = Readonly<{
  platform: Record<'os' | 'cpu' | 'libc', string>;
  node: string;
  date: Date;
  go?: string;
  debian?: string;
}>;

export const PROJECT = resolve(import.meta.dirname, '../..');
const load = (file: string) => import(join(PROJECT, 'scripts/release', file)) as Promise<unknown>;

export const { nodePackage, platformOf, sbomOf } = (await load('sbom.mjs')) as {
  nodePackage: string;
  platformOf: (cpu: string) => Contents['platform'];
  sbomOf: (contents: Contents) => string;
};
export const { noticesOf } = (await load('notices.mjs')) as { noticesOf: (contents: Contents) => string };

/** A release for this machine. */
export const contents: Contents = {
  platform: platformOf(process.arch),
  node: nodePackage,
  date: new Date('2026-01-02T03:04:05Z'),
};

export const componentsOf = (sbom: string) => (JSON.parse(sbom) as { components: readonly Component[] }).components;
