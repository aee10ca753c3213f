"""The client of a league server: typed calls, uploads, downloads and watching.

- `api_client`: one method per call, under the published names
- `references`: policies, leagues and Coworlds by name or id
"""
