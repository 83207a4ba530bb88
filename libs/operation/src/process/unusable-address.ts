import { reasonOf } from '@keyfold/event-store';

/** Nobody can listen there; the message names the settings. */
export class UnusableAddress extends Error {
  constructor(hostSetting: string, portSetting: string, cause: Error) {
    const taken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
    super(
      taken
        ? `${reasonOf(cause)}: choose another port with ${portSetting}, or stop the program that has it`
        : `${reasonOf(cause)}: see ${hostSetting} and ${portSetting}`,
      { cause },
    );
    this.name = 'UnusableAddress';
  }
}
