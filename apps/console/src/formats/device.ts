/** A device as its user agent describes it. Both are names that need no translation, and empty if they are unknown. */
export type Device = Readonly<{ program: string; system: string }>;

/** The first match counts: most browsers also name those that they descend from. */
const PROGRAMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg(?:e|A|iOS)?\/(\d+)/, 'Edge'],
  [/\b(?:OPR|Opera)\/(\d+)/, 'Opera'],
  [/\bSamsungBrowser\/(\d+)/, 'Samsung Internet'],
  [/\bVivaldi\/(\d+)/, 'Vivaldi'],
  [/\bMicroMessenger\/(\d+)/, 'WeChat'],
  [/\bQQBrowser\/(\d+)/, 'QQ Browser'],
  [/\bUCBrowser\/(\d+)/, 'UC Browser'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bHarmonyOS\b/, 'HarmonyOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac(?:intosh| OS X)\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Longer user agents are not searched. */
const LONGEST = 1_000;

/** Reads a user agent: browsers by their name and version, other programs by the product that they begin with, such as `curl/8.5.0`. */
export function deviceOf(userAgent: string): Device {
  const text = userAgent.slice(0, LONGEST);
  const system = SYSTEMS.find(([pattern]) => pattern.test(text))?.[1] ?? '';
  for (const [pattern, name] of PROGRAMS) {
    const version = pattern.exec(text)?.[1];
    if (version !== undefined) return { program: `${name} ${version}`, system };
  }
  const [, name = '', version = ''] = /^([\w.+-]{1,40})(?:\/(\d[\w.]{0,20}))?/.exec(text) ?? [];
  return { program: name === 'Mozilla' ? '' : `${name} ${version}`.trim(), system };
}
