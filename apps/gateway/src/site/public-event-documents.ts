import type { RevalidatedResponse } from '../http/revalidated-response.js';

/** The documents about public events. They are loaded and built on first use, so that startup stays fast. */
export class PublicEventDocuments {
  #documents: Promise<ReadonlyMap<string, RevalidatedResponse>> | undefined;

  /** Returns the document at a path, or undefined if there is none. */
  async at(path: string): Promise<RevalidatedResponse | undefined> {
    this.#documents ??= import('./build-public-event-documents.js').then(({ buildPublicEventDocuments }) =>
      buildPublicEventDocuments(),
    );
    return (await this.#documents).get(path);
  }
}
