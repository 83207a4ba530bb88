import { reasonOf } from '@keyfold/event-store';

/** The server could not listen on its address; the message names the settings. */
export class UnusableAddress extends Error {
  constructor(host: string, port: number, settings: Readonly<{ host: string; port: string }>, cause: Error) {
    const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    const inUse = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
    super(
      inUse
        ? `cannot listen on ${address}: the port is already in use. Stop the other program, or set ${settings.port} to another port`
        : `cannot listen on ${address}: ${reasonOf(cause)}. Check ${settings.host} and ${settings.port}`,
      { cause },
    );
    this.name = 'UnusableAddress';
  }
}
