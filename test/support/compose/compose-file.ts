import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/** A duration such as `1m30s`, in milliseconds. */
const duration = z.string().transform((text) => durationOf(text));

type Membership = { ipv4_address?: string | undefined };
const networks = z.union([
  z.array(z.string()).transform((names) => Object.fromEntries(names.map((name): [string, Membership] => [name, {}]))),
  z.record(z.string(), z.strictObject({ ipv4_address: z.string().optional() })),
]);

const healthcheck = z.strictObject({
  test: z.array(z.string()).optional(),
  interval: duration.default(30_000),
  timeout: duration.default(30_000),
  retries: z.number().default(3),
  start_period: duration.default(0),
  start_interval: duration.default(5_000),
  disable: z.boolean().default(false),
});

/**
 * The keys of a service that the runner implements, besides limits and logging. It rejects all others, so that nothing
 * in the file goes untested.
 */
const service = z.strictObject({
  image: z.string(),
  build: z
    .union([
      z.strictObject({ context: z.literal('.'), dockerfile: z.string() }),
      z.strictObject({ context: z.literal('./deploy/openssh'), target: z.literal('sshd') }),
    ])
    .optional(),
  command: z.array(z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  user: z.string().optional(),
  hostname: z.string().optional(),
  environment: z.record(z.string(), z.string()).default({}),
  secrets: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  tmpfs: z.array(z.string()).default([]),
  networks,
  ports: z.array(z.string()).default([]),
  depends_on: z
    .record(
      z.string(),
      z.strictObject({ condition: z.enum(['service_started', 'service_healthy', 'service_completed_successfully']) }),
    )
    .default({}),
  healthcheck: healthcheck.optional(),
  restart: z.enum(['no', 'unless-stopped']),
  stop_grace_period: duration.default(10_000),
  init: z.literal(true),
  read_only: z.literal(true),
  cap_drop: z.tuple([z.literal('ALL')]),
  cap_add: z.array(z.string().regex(/^[A-Z_]+$/)).default([]),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
  logging: z.unknown(),
  mem_limit: z.string().regex(/^[1-9]\d*[mg]$/),
  pids_limit: z.number().int().positive(),
});

const network = z.strictObject({
  internal: z.boolean().default(false),
  ipam: z.strictObject({ config: z.tuple([z.strictObject({ subnet: z.string(), ip_range: z.string() })]) }).optional(),
});

const composeFile = z
  .object({
    name: z.string(),
    services: z.record(z.string(), service),
    networks: z.record(z.string(), network),
    volumes: z.record(z.string(), z.strictObject({})),
    secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
  })
  // Anchors for what services share.
  .catchall(z.unknown());

export type ComposeFile = z.infer<typeof composeFile>;
export type Service = z.infer<typeof service>;
export type ServiceNetwork = z.infer<typeof network>;
export type HealthCheck = z.infer<typeof healthcheck>;

const SECTIONS = ['services', 'networks', 'volumes', 'secrets'] as const;

/**
 * Reads the `docker-compose.yml` of a folder and further files, which may add services, networks, volumes and secrets.
 * Throws on keys that the runner does not implement, and on a name that two files declare.
 */
export function readComposeFile(folder: string, ...further: readonly string[]): ComposeFile {
  const whole = composeDocument(folder) as Sections;
  for (const file of further) {
    const added = composeDocument(folder, file) as Sections;
    for (const section of SECTIONS) {
      for (const [name, value] of Object.entries(added[section] ?? {})) {
        const known = (whole[section] ??= {});
        if (name in known) throw new Error(`the runner does not merge ${section} such as ${name} of ${file}`);
        known[name] = value;
      }
    }
    const unknown = Object.keys(added).filter((key) => !SECTIONS.some((section) => section === key));
    if (unknown.length > 0) throw new Error(`the runner does not merge ${unknown.join(', ')} of ${file}`);
  }
  return composeFile.parse(whole);
}

type Sections = Partial<Record<(typeof SECTIONS)[number], Record<string, unknown>>>;

/** Returns the document as written, with anchors and merge keys resolved. */
export const composeDocument = (folder: string, file = 'docker-compose.yml'): unknown =>
  parse(readFileSync(join(folder, file), 'utf8'), { merge: true });

/** Parses a Docker duration such as `10s`, `500ms` or `1m30s` into milliseconds. */
export function durationOf(text: string): number {
  const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
  const parts = [...text.matchAll(/(\d+)(ms|s|m|h)/g)];
  if (parts.map(([part]) => part).join('') !== text) throw new Error(`${text} is not a duration`);
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0), 0);
}
