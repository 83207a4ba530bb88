import type { Manifest } from './kustomize.js';

type Labels = Readonly<Record<string, string>>;
type Rule = Readonly<{ from?: readonly unknown[]; to?: readonly unknown[]; ports: readonly { port: number }[] }>;
type Policy = Readonly<{
  spec: Readonly<{
    podSelector: { matchLabels: Labels; matchExpressions?: readonly { key: string; values: readonly string[] }[] };
    policyTypes: readonly string[];
    ingress?: readonly Rule[];
    egress?: readonly Rule[];
  }>;
}>;

/** Returns the network policies that apply to a pod. */
export function policiesFor(labels: Labels, manifests: readonly Manifest[]): Policy[] {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as Policy[];
  return policies.filter(({ spec: { podSelector } }) => {
    const { matchLabels, matchExpressions = [] } = podSelector;
    return (
      Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
      matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
    );
  });
}

/** Returns the ports of rules, sorted and without duplicates. */
export const portsOf = (rules: readonly Rule[]) =>
  [...new Set(rules.flatMap(({ ports }) => ports.map(({ port }) => String(port))))].toSorted((a, b) =>
    a.localeCompare(b),
  );

/** Returns every pod selector in an object, at any depth. */
export function selectorsIn(value: unknown, field = ''): Labels[] {
  if (typeof value !== 'object' || value === null) return [];
  if (field === 'matchLabels' && !Object.keys(value).includes('kubernetes.io/metadata.name')) return [value as Labels];
  if (field === 'selector' && !('matchLabels' in value)) return [value as Labels];
  return Object.entries(value).flatMap(([name, each]) => selectorsIn(each, name));
}
