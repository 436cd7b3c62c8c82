DROP INDEX `users_tenant` ON `users`;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `scopes` json;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `expiresAt` datetime(3);--> statement-breakpoint
CREATE INDEX `sessions_expiry` ON `sessions` (`expiresAt`);--> statement-breakpoint
CREATE INDEX `users_created` ON `users` (`createdAt`,`id`);--> statement-breakpoint
CREATE INDEX `users_tenant` ON `users` (`tenantId`,`createdAt`,`id`);