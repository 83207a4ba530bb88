/** OpenList is unreachable, takes too long, or answers with something that is not its API. A retry may succeed. */
export class OpenListUnavailable extends Error {
  override readonly name: string = 'OpenListUnavailable';
}

/** OpenList refuses logins from an address because of earlier wrong ones, whether or not they are right. */
export class LoginsLocked extends OpenListUnavailable {
  override readonly name = 'LoginsLocked';
}

/** Something answers at the address of OpenList that is not its API. */
export class OpenListForeign extends OpenListUnavailable {
  override readonly name = 'OpenListForeign';

  /** `path`: the one below which OpenList answers. */
  constructor(readonly path: string | undefined) {
    super(
      path === undefined
        ? 'OpenList is unavailable: it does not speak its API'
        : `OpenList answers below ${path} only. Remove this path from "site_url" in its data/config.json, and restart it`,
    );
  }
}

/** OpenList answered a request to its API with another code than 200. `text` is OpenList's and may contain names. */
export class OpenListRefused extends Error {
  override readonly name = 'OpenListRefused';

  constructor(
    readonly code: number,
    readonly text: string,
  ) {
    super(`OpenList refused a request with the code ${code}`);
  }
}

/** The mirror of an account cannot be made until somebody acts. The message names no account. */
export class MirrorBlocked extends Error {
  override readonly name = 'MirrorBlocked';
}
