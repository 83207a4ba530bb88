/** The schema that OpenList 4.2.5 creates, in its own words: OpenList migrates tables that differ. */
export const OPENLIST_SCHEMA: readonly string[] = [
  'CREATE TABLE `x_storages` (`id` integer PRIMARY KEY AUTOINCREMENT,`mount_path` text,`order` integer,' +
    '`driver` text,`cache_expiration` integer,`custom_cache_policies` text,`status` text,`addition` text,' +
    '`remark` text,`modified` datetime,`disabled` numeric,`disable_index` numeric,`enable_sign` numeric,' +
    '`order_by` text,`order_direction` text,`extract_folder` text,`web_proxy` numeric,`webdav_policy` text,' +
    '`proxy_range` numeric,`down_proxy_url` text,`disable_proxy_sign` numeric,' +
    'CONSTRAINT `uni_x_storages_mount_path` UNIQUE (`mount_path`))',
  'CREATE TABLE `x_users` (`id` integer PRIMARY KEY AUTOINCREMENT,`username` text,`pwd_hash` text,' +
    '`pwd_ts` integer,`salt` text,`password` text,`base_path` text,`role` integer,`disabled` numeric,' +
    '`permission` integer,`otp_secret` text,`sso_id` text,`authn` text,`allow_ldap` numeric DEFAULT true,' +
    'CONSTRAINT `uni_x_users_username` UNIQUE (`username`))',
  'CREATE TABLE `x_meta` (`id` integer PRIMARY KEY AUTOINCREMENT,`path` text,`read_users` text,' +
    '`read_users_sub` numeric,`write_users` text,`write_users_sub` numeric,`password` text,`p_sub` numeric,' +
    '`write` numeric,`w_sub` numeric,`hide` text,`h_sub` numeric,`readme` text,`r_sub` numeric,`header` text,' +
    '`header_sub` numeric,CONSTRAINT `uni_x_meta_path` UNIQUE (`path`))',
  'CREATE TABLE `x_setting_items` (`key` text,`value` text,`help` text,`type` text,`options` text,' +
    '`group` integer,`flag` integer,`index` integer,PRIMARY KEY (`key`))',
  'CREATE TABLE `x_search_nodes` (`parent` text,`name` text,`is_dir` numeric,`size` integer)',
  'CREATE TABLE `x_task_items` (`key` text,`persist_data` text)',
  'CREATE TABLE `x_ssh_public_keys` (`id` integer PRIMARY KEY AUTOINCREMENT,`user_id` integer,`title` text,' +
    '`fingerprint` text,`key_str` text,`added_time` datetime,`last_used_time` datetime)',
  'CREATE TABLE `x_sharing_dbs` (`id` varchar(64),`files_raw` text,`expires` datetime,`pwd` text,' +
    '`accessed` integer,`max_accessed` integer,`creator_id` integer,`disabled` numeric,`remark` text,' +
    '`readme` text,`header` text,`order_by` text,`order_direction` text,`extract_folder` text,PRIMARY KEY (`id`))',
  'CREATE INDEX `idx_x_search_nodes_parent` ON `x_search_nodes`(`parent`)',
];
