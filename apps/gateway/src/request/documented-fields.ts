import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { FlagField, jsonName, TextField, WholeField } from '@keyfold/http-envelope';

/** `required` also decides whether the field may be missing. */
type Documentation = Readonly<{ required?: boolean }> & Omit<ApiPropertyOptions, 'name' | 'required'>;

/** Declares a string field, like `TextField`, and documents it. */
export const ApiText = (goName: string, { required = false, ...documentation }: Documentation = {}) =>
  documented(TextField(goName, { required }), { type: 'string', required, ...documentation });

/** Declares a boolean field, like `FlagField`, and documents it. */
export const ApiFlag = (goName: string, documentation: Documentation = {}) =>
  documented(FlagField(goName), { type: 'boolean', required: false, ...documentation });

/** Declares an integer field, like `WholeField`, and documents it. */
export const ApiWhole = (goName: string, kind: Parameters<typeof WholeField>[1], documentation: Documentation = {}) =>
  documented(WholeField(goName, kind), { type: 'integer', required: false, ...documentation });

const documented =
  (field: PropertyDecorator, documentation: object): PropertyDecorator =>
  (target, key) => {
    field(target, key);
    ApiProperty({ name: jsonName(String(key)), ...documentation })(target, key);
  };
