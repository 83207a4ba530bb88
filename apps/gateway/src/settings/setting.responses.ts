import { ApiProperty, getSchemaPath } from '@nestjs/swagger';

/** A setting as administrators see it. The order of the fields is part of the contract (wire contract 2.8). */
export class SettingResponse {
  @ApiProperty() key!: string;
  @ApiProperty({ description: 'The current value. Secrets are shown.' }) value!: string;
  @ApiProperty() help!: string;
  @ApiProperty({ enum: ['string', 'select', 'bool', 'text', 'number'] }) type!: string;
  @ApiProperty({ description: 'The choices of a select, separated by commas.' }) options!: string;
  @ApiProperty({ type: 'integer', description: 'See docs/reference/wire-contract.md, section 2.8.' }) group!: number;
  @ApiProperty({ type: 'integer', description: '0: public, 1: private, 2: read-only, 3: deprecated.' }) flag!: number;
  @ApiProperty({ type: 'integer' }) index!: number;
}

export const settingListSchema = { type: 'array', items: { $ref: getSchemaPath(SettingResponse) } };
export const settingOrListSchema = { oneOf: [settingListSchema.items, settingListSchema] };
