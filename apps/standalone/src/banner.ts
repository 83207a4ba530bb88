/** What a person sees on the terminal when the service is ready; the password only when this start made the admin. */
export function banner(url: string, firstPassword: string | undefined): string {
  const lines = [
    `Keyfold is ready at ${url.replace('0.0.0.0', 'localhost').replace('[::]', 'localhost')}`,
    ...(firstPassword === undefined
      ? []
      : [
          '',
          '  user name  admin',
          `  password   ${firstPassword}`,
          '',
          'The password is shown this once; change it after the login.',
        ]),
    'API documentation: /docs     Stop with Ctrl-C',
  ];
  return `\n${lines.map((line) => `  ${line}`).join('\n')}\n\n`;
}
