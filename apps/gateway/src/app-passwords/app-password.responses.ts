import { ApiProperty } from '@nestjs/swagger';
import { isoTime, type AppPasswordHolder, type ListedAppPassword, type NewAppPassword } from '@keyfold/application';

const nullableTime = { oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] };

/** An app password. Its text is never shown again. */
export class AppPasswordResponse {
  @ApiProperty({ type: 'integer' }) id!: number;
  @ApiProperty() name!: string;
  @ApiProperty({ description: '`sftp`, `webdav`, `ftp`, or `any` of them. More values may be added.' })
  protocol!: string;
  @ApiProperty({ format: 'date-time' }) created!: string;
  @ApiProperty({ ...nullableTime, description: 'Null if it never expires.' }) expires!: string | null;
  @ApiProperty({ ...nullableTime, description: 'To within some minutes; null if it was never used.' })
  last_used!: string | null;
  @ApiProperty({ description: 'Whether it has expired. It is refused, and shown until you revoke it.' })
  expired!: boolean;
}

/** A new app password. */
export class NewAppPasswordResponse extends AppPasswordResponse {
  @ApiProperty({ description: 'Type it where the client asks for the password. Shown only once.' })
  password!: string;
}

/** The app passwords of an account. */
export class AppPasswordHolderResponse {
  @ApiProperty({ type: 'integer' }) user_id!: number;
  @ApiProperty() username!: string;
  @ApiProperty({ type: [AppPasswordResponse] }) app_passwords!: AppPasswordResponse[];
}

/** A page of the accounts that have app passwords. */
export class AppPasswordPageResponse {
  @ApiProperty({ type: [AppPasswordHolderResponse] }) content!: AppPasswordHolderResponse[];
  @ApiProperty({ type: 'integer' }) total!: number;
}

export const appPasswordResponse = (password: ListedAppPassword): AppPasswordResponse => ({
  id: password.appPasswordId,
  name: password.name,
  protocol: password.protocol,
  created: isoTime(password.createdAt),
  expires: password.expiresAt === null ? null : isoTime(password.expiresAt),
  last_used: password.lastUsedAt === undefined ? null : isoTime(password.lastUsedAt * 1000),
  expired: password.isExpired,
});

export const newAppPasswordResponse = (password: NewAppPassword): NewAppPasswordResponse => ({
  ...appPasswordResponse(password),
  password: password.text,
});

export const appPasswordHolderResponse = ({
  accountId,
  username,
  secrets,
}: AppPasswordHolder): AppPasswordHolderResponse => ({
  user_id: accountId,
  username,
  app_passwords: secrets.map(appPasswordResponse),
});
