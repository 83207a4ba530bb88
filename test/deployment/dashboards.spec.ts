import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { TOPOLOGY } from '@keyfold/messaging/rabbitmq';
import { metricDefinitions } from '@keyfold/process';
import { parse } from 'yaml';
import { knownMetrics, LABELS_OF_A_SCRAPE } from '../support/checkers/known-metrics.js';
import { groupingsIn, metricsIn } from '../support/checkers/promql.js';
import { checkExpressions, promtool } from '../support/checkers/promtool.js';

const ROOT = resolve(import.meta.dirname, '../..');
const PROMETHEUS = join(ROOT, 'deploy/prometheus');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

type Rule = Readonly<{
  alert: string;
  expr: string;
  labels: Readonly<{ severity: string }>;
  annotations: Readonly<{ summary: string; runbook: string }>;
}>;
type Target = Readonly<{ expr: string; legendFormat: string }>;
type Panel = Readonly<{
  id: number;
  title: string;
  gridPos: Readonly<{ x: number; y: number; w: number; h: number }>;
  targets?: readonly Target[];
}>;

const { groups } = parse(textOf('deploy/prometheus/alerts.yml')) as { groups: { name: string; rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(textOf('deploy/grafana/keyfold.json')) as { panels: Panel[] };
/** The queries as Grafana sends them, with its variables replaced. */
const queries = panels
  .flatMap(({ targets = [] }) => targets)
  .map(({ expr }) =>
    expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'keyfold').replaceAll('$instance', '.*'),
  );

let known: ReadonlyMap<string, readonly string[]>;
beforeAll(async () => {
  known = await knownMetrics();
});

/** Returns the metrics in expressions that do not exist, and their labels that the metric does not have. */
function unknownIn(expression: string): string[] {
  const metrics = metricsIn(expression);
  const labelsOf = (name: string) => [...(known.get(name) ?? []), ...LABELS_OF_A_SCRAPE];
  const labels = new Set(metrics.flatMap(({ name }) => labelsOf(name)));
  return [
    ...metrics.filter(({ name }) => !known.has(name)).map(({ name }) => name),
    ...metrics.flatMap((metric) =>
      metric.labels
        .filter((label) => !labelsOf(metric.name).includes(label))
        .map((label) => `${metric.name}{${label}}`),
    ),
    ...groupingsIn(expression).filter((label) => !labels.has(label)),
  ];
}

describe('dashboard and alerts', () => {
  it('name only existing metrics and labels', () => {
    expect([...queries, ...rules.map(({ expr }) => expr)].flatMap(unknownIn)).toEqual([]);
    expect(
      unknownIn('sum by (rout) (rate(keyfold_http_request_total{statuses="500"}[5m])) / keyfold_relay_slots{a="b"}'),
    ).toEqual(['keyfold_http_request_total', 'keyfold_http_request_total{statuses}', 'keyfold_relay_slots{a}', 'rout']);
  });

  it('show every metric of Keyfold', () => {
    const shown = new Set([...queries, ...rules.map(({ expr }) => expr)].flatMap(metricsIn).map(({ name }) => name));
    const unseen = Object.keys(metricDefinitions).filter(
      (name) => ![name, `${name}_bucket`].some((each) => shown.has(each)),
    );
    expect(unseen).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('has valid PromQL expressions', async () => {
    await checkExpressions(queries);
    await expect(checkExpressions(['sum(rate(keyfold_relay_slots)'])).rejects.toThrow('parse error');
  });

  it('has panels with unique ids that do not overlap', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const places = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
    );
    expect(new Set(places).size).toBe(places.length);
  });

  it('has legends with labels of the result', () => {
    for (const { targets = [] } of panels) {
      for (const { expr, legendFormat } of targets) {
        const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
        const kept = expr.includes(' by (') ? groupingsIn(expr) : [...LABELS_OF_A_SCRAPE, ...groupingsIn(expr)];
        expect(kept, expr).toEqual(expect.arrayContaining(named));
      }
    }
  });
});

describe('the alerts', () => {
  it('are valid Prometheus rules, and so is the example configuration', async () => {
    await promtool('check', 'rules', join(PROMETHEUS, 'alerts.yml'));
    await promtool('check', 'config', '--syntax-only', join(PROMETHEUS, 'prometheus.example.yml'));
  });

  it('fire when they should, and not before', async () => {
    await promtool('test', 'rules', join(PROMETHEUS, 'alerts.test.yml'));
  });

  it('warn at nine tenths of the parked commands that RabbitMQ keeps', () => {
    const { definition } = TOPOLOGY.policies.find(({ name }) => name === 'keyfold-parked')!;
    const { expr } = rules.find(({ alert }) => alert === 'KeyfoldParkedCommandsFull')!;
    expect(Number(expr.split(' > ')[1])).toBe(0.9 * Number(definition['max-length']));
  });

  it('each have a test and a unique name', () => {
    const names = rules.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    const tested = textOf('deploy/prometheus/alerts.test.yml').match(/\b(?:Keyfold|Rabbitmq)[A-Z]\w+/g);
    expect(names.filter((name) => !tested?.includes(name))).toEqual([]);
  });

  it('say what happened and what to do, and link to a section of docs/run', () => {
    const sectionsOf = (page: string) => [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, title]) => anchorOf(title!));
    for (const { alert, labels, annotations } of rules) {
      expect(['critical', 'warning', 'info'], alert).toContain(labels.severity);
      expect(annotations.summary, alert).toMatch(/\w{3}/);
      const [, page, anchor] = /^.{20,} (docs\/run\/[a-z]+\.md)#(\S+)$/.exec(annotations.runbook) ?? [];
      expect(page, alert).toBeDefined();
      expect(sectionsOf(page!), alert).toContain(anchor);
    }
  });

  it('name existing commands', () => {
    const text = textOf('docs/reference/commands.md');
    const commands = rules.flatMap(({ annotations }) => [
      ...annotations.runbook.matchAll(/"keyfold ([a-z -]+?)(?: --.*?)?"/g),
    ]);
    expect(commands.length).toBeGreaterThan(5);
    for (const [, command] of commands) expect(text).toContain(command);
  });
});

/** Returns GitHub's anchor of a heading. */
const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
