// Runs one job with the client that openapi-generator made of the description. Arguments: address, user, password.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	made "example.org/fettle/made"
)

func must[T any](value T, _ any, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	address, username, password := os.Args[1], os.Args[2], os.Args[3]
	settings := made.NewConfiguration()
	settings.Servers = made.ServerConfigurations{{URL: address}}
	client := made.NewAPIClient(settings)
	ctx := context.Background()
	login := must(client.LoginAPI.Authenticate(ctx).Credentials(*made.NewCredentials(username, password)).Execute())
	settings.AddDefaultHeader("Authorization", "Bearer "+login.Token)
	jobs := client.DataCleaningAPI
	id := must(jobs.CreateJob(ctx).CreateJob(*made.NewCreateJob("generated")).Execute()).Id

	file, err := os.Create("a.csv")
	if err != nil {
		panic(err)
	}
	file.WriteString("name\nAcme Ltd\n")
	file.Seek(0, 0)
	must(jobs.Upload(ctx, id).HasHeader(true).JobFile(file).Execute())
	mappings := made.NewMappingsBody([]made.ColumnMapping{*made.NewColumnMapping("name", "0")})
	must(jobs.SetMappings(ctx, id).MappingsBody(*mappings).Execute())
	must(jobs.Submit(ctx, id).Body(map[string]any{}).Execute())
	reach := func(status string) *made.Job {
		for turn := 0; turn < 600; turn++ {
			if job := must(jobs.ReadJob(ctx, id).Execute()); job.Status == status {
				return job
			}
			time.Sleep(100 * time.Millisecond)
		}
		panic("the job did not become " + status)
	}
	reach("jobMatchingComplete")
	tag := *made.NewEnrichmentsBodyEnrichmentsInner(made.EnrichmentTag("general.connectId"))
	body := made.NewEnrichmentsBody([]made.EnrichmentsBodyEnrichmentsInner{tag})
	must(jobs.SetEnrichments(ctx, id).EnrichmentsBody(*body).Execute())
	must(jobs.Enrich(ctx, id).Body(map[string]any{}).Execute())
	summary := reach("enrichmentComplete").JobSummary
	link := must(jobs.EnrichedFile(ctx, id).Execute())
	fmt.Println(*summary.Matched, link.FilePath)
}
