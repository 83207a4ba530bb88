import { address, BASE } from './router.js';

type TabsProps = Readonly<{ label: string; tabs: readonly (readonly [value: string, text: string])[] }>;

/** The value that the parameter `show` of the address chooses, by default the first. */
export function shownTab(values: readonly string[]): string {
  const asked = address.value.query.get('show') ?? '';
  return values.includes(asked) ? asked : (values[0] ?? '');
}

/** Links between the parts of a screen. The part is in the address. */
export function Tabs({ label, tabs }: TabsProps) {
  const shown = shownTab(tabs.map(([value]) => value));
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {tabs.map(([value, text]) => (
          <li key={value}>
            <a href={`${BASE}${address.value.path}?show=${value}`} aria-current={value === shown ? 'page' : undefined}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
