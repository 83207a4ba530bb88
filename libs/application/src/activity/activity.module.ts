import { Module } from '@nestjs/common';
import { ActivityHistory } from './activity-history.js';
import { ExportActivityHandler, ListAnyActivityHandler, ListOwnActivityHandler } from './list-activity.js';

@Module({
  providers: [ActivityHistory, ExportActivityHandler, ListAnyActivityHandler, ListOwnActivityHandler],
})
export class ActivityModule {}
