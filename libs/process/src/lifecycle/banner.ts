/** Returns the note that shows the generated password on the terminal at the first start. */
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

/** Returns the note that the service is ready, for the terminal. */
export function banner(url: string): string {
  const address = url.replace('0.0.0.0', 'localhost').replace('[::]', 'localhost');
  return frame([`Keyfold is ready at ${address}`, `API documentation: ${address}/docs     Stop with Ctrl-C`]);
}

const frame = (lines: readonly string[]) => `\n${lines.map((line) => `  ${line}`).join('\n')}\n\n`;
