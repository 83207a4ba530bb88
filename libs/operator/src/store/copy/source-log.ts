import type { LogAdapters, OpenLog } from '@keyfold/wiring';

/** The log of the source. The embedded store shows it as it was when it was opened. */
export class SourceLog {
  private constructor(
    private readonly open: () => Promise<OpenLog>,
    private opened: OpenLog,
  ) {}

  static async open(open: () => Promise<OpenLog>): Promise<SourceLog> {
    return new SourceLog(open, await open());
  }

  get adapters(): LogAdapters {
    return this.opened.adapters;
  }

  /** Shows what was appended meanwhile. */
  async refresh(): Promise<void> {
    const { opened } = this;
    this.opened = await this.open();
    await opened.close();
  }

  close(): Promise<void> {
    return this.opened.close();
  }
}
