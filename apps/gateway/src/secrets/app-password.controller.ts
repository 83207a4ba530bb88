import { ApiProperty } from '@nestjs/swagger';
import { appPasswordKind } from '@keyfold/application';
import { appPasswordProtocols, type AppPasswordProtocol } from '@keyfold/domain';
import { IsIn } from 'class-validator';
import { secretController } from './secret.controller.js';
import { NULLABLE_TIME, SecretExpiry, SecretId, SecretName, StepUpRequest } from './secret.requests.js';

class CreateAppPasswordRequest extends StepUpRequest {
  @SecretName('app passwords') name = '';

  @ApiProperty({
    type: 'string',
    enum: [...appPasswordProtocols],
    description: 'What it opens: logins over a protocol, over `any` of these, or `web` applications.',
  })
  @IsIn(appPasswordProtocols)
  protocol: AppPasswordProtocol = undefined as never;

  @SecretExpiry('app password') expires: string | null = null;
}

class RevokeAppPasswordRequest {
  @SecretId('app password', 'an app password') id = 0;
}

class AppPasswordResponse {
  @ApiProperty({ type: 'integer' }) id!: number;
  @ApiProperty() name!: string;
  @ApiProperty({ description: '`sftp`, `webdav`, `ftp`, `any` of them, or `web`. More values may be added.' })
  protocol!: string;
  @ApiProperty({ format: 'date-time' }) created!: string;
  @ApiProperty({ ...NULLABLE_TIME, description: 'Null if it never expires.' }) expires!: string | null;
  @ApiProperty({ ...NULLABLE_TIME, description: 'To within some minutes; null if it was never used.' })
  last_used!: string | null;
  @ApiProperty({ description: 'Whether it has expired. It is refused, and shown until you revoke it.' })
  expired!: boolean;
}

class NewAppPasswordResponse extends AppPasswordResponse {
  @ApiProperty({ description: 'Type it where the client asks for the password. Shown only once.' })
  password!: string;
}

class AppPasswordHolderResponse {
  @ApiProperty({ type: 'integer' }) user_id!: number;
  @ApiProperty() username!: string;
  @ApiProperty({ type: [AppPasswordResponse] }) app_passwords!: AppPasswordResponse[];
}

class AppPasswordPageResponse {
  @ApiProperty({ type: [AppPasswordHolderResponse] }) content!: AppPasswordHolderResponse[];
  @ApiProperty({ type: 'integer' }) total!: number;
}

export const AppPasswordController = secretController({
  kind: appPasswordKind,
  paths: { own: '/api/me/app_passwords', any: '/api/admin/app_password' },
  words: { id: 'AppPassword', name: 'app password', short: 'app password' },
  descriptions: {
    list:
      'Returns the app passwords, oldest first. An expired one is shown until it is revoked, a new one has its name, or a ' +
      'new one would exceed the limit of 100. Needs a session.',
    create:
      'Creates a password for a client of a file server, such as WebDAV on a phone, and returns it, once. It opens no login of ' +
      'this API, and it needs no second factor. It continues to work after a rename and a password change. Needs a session.',
    revoke:
      'Refuses the app password from then on. One of another account is refused like an unknown one. Needs a session.',
  },
  refusals: { own: ['guest-has-no-app-passwords', 'app-password-session-required'], create: [] },
  requests: { create: CreateAppPasswordRequest, revoke: RevokeAppPasswordRequest },
  responses: { listed: AppPasswordResponse, created: NewAppPasswordResponse, page: AppPasswordPageResponse },
  fields: { text: 'password', secrets: 'app_passwords' },
  detailsOf: ({ protocol }) => ({ protocol }),
});
