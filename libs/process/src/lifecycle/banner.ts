/** What a person sees on the terminal at the first start, before anything else can go wrong. */
export function firstPasswordNote(password: string): string {
  return frame([
    'The admin account was created:',
    '',
    '  user name  admin',
    `  password   ${password}`,
    '',
    'Shown only once. Change it with: npx keyfold account set-password admin',
  ]);
}

/** What a person sees on the terminal when the service is ready. */
export function banner(url: string): string {
  const address = url.replace('0.0.0.0', 'localhost').replace('[::]', 'localhost');
  return frame([`Keyfold is ready at ${address}`, `API documentation: ${address}/docs     Stop with Ctrl-C`]);
}

const frame = (lines: readonly string[]) => `\n${lines.map((line) => `  ${line}`).join('\n')}\n\n`;
