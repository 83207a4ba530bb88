import { IsIn, IsOptional, Matches, MaxLength, ValidateBy } from 'class-validator';

/** The longest name, password, address or other text, in letters. */
const TEXT_LETTERS = 4_096;
/** An RSA key of 16,384 bits takes 2,800 letters. */
const KEY_LETTERS = 16_384;
/** The number of sessions in one question. */
export const SESSIONS = 500;

const IsText = (letters = TEXT_LETTERS) =>
  MaxLength(letters, { message: `$property must be a text of at most ${letters} letters` });

/** The query of the hook: the folder with the files of the site. */
export class SiteRoot {
  @Matches(/^(?!.*\/\.{1,2}(\/|$))(\/[^/\0]+)+$/s, {
    message: '$property must be an absolute path below / without "." and "..", such as /srv/files',
  })
  @IsText(1_024)
  root: string = '';
}

/** The body that SFTPGo sends to its hook for external authentication. An empty text stands for a missing one. */
export class SftpgoLogin {
  @IsText() username: string = '';
  @IsText() protocol: string = '';
  @IsText() ip: string = '';
  @IsText() password: string = '';
  /** Offered by the client, which has not proved yet that it has the private half. */
  @IsText(KEY_LETTERS) public_key: string = '';
  @IsText() keyboard_interactive: string = '';
}

/** The body that SFTPGo sends to its hook for keyboard-interactive authentication. The first request of a login has no answers. */
export class SftpgoPrompt {
  @IsText(256) request_id: string = '';
  @IsText() username: string = '';
  @IsText() ip: string = '';

  @IsOptional()
  @IsListOf(16, (each) => typeof each === 'string' && each.length <= TEXT_LETTERS, 'texts')
  answers: string[] | null = null;
}

/** The actions before which SFTPGo can ask. After `pre-delete`, some of its versions expect that the hook has deleted the file. */
const TRANSFERS = ['pre-download', 'pre-upload'] as const;

/** The body that SFTPGo sends to its hook for actions, before a transfer. */
export class SftpgoTransfer {
  @IsIn(TRANSFERS, { message: `$property must be one of ${TRANSFERS.join(', ')}` })
  action: (typeof TRANSFERS)[number] = undefined as never;

  @IsText() username: string = '';
  @IsText() protocol: string = '';
}

/** An open session, in SFTPGo's words. */
export type SftpgoSession = Readonly<{ id: string; username: string; protocol: string }>;

/** The question which open sessions must end. */
export class SftpgoSessions {
  @IsListOf(SESSIONS, isSession, 'sessions with the texts id, username and protocol')
  sessions: SftpgoSession[] = [];
}

function isSession(value: unknown): boolean {
  const { id, username, protocol } = (value ?? {}) as Partial<Record<keyof SftpgoSession, unknown>>;
  return [id, username, protocol].every(
    (text) => typeof text === 'string' && text.isWellFormed() && text.length <= TEXT_LETTERS,
  );
}

function IsListOf(most: number, isItem: (value: unknown) => boolean, items: string): PropertyDecorator {
  return ValidateBy({
    name: 'isListOf',
    validator: {
      validate: (value) => Array.isArray(value) && value.length <= most && value.every(isItem),
      defaultMessage: (args) => `${args?.property} must be a list of at most ${most} ${items}`,
    },
  });
}
