import type { RevalidatedAnswer } from '../request/revalidated-answer.js';

/** What is to be read about the public events. All of it is loaded and made at the first look, so that starting stays quick. */
export class PublicEventDocuments {
  #made: Promise<ReadonlyMap<string, RevalidatedAnswer>> | undefined;

  /** The document at a path, or undefined: there is none. */
  async at(path: string): Promise<RevalidatedAnswer | undefined> {
    this.#made ??= import('./make-public-event-documents.js').then(({ makePublicEventDocuments }) =>
      makePublicEventDocuments(),
    );
    return (await this.#made).get(path);
  }
}
