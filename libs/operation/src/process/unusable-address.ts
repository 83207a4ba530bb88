/** Nobody can listen there; the message names the settings. */
export class UnusableAddress extends Error {
  constructor(hostSetting: string, portSetting: string, cause: Error) {
    const taken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
    super(
      taken
        ? `${cause.message}: choose another port with ${portSetting}, or stop the program that has it`
        : `${cause.message}: see ${hostSetting} and ${portSetting}`,
      { cause },
    );
    this.name = 'UnusableAddress';
  }
}
