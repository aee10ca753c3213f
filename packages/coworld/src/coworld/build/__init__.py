"""Build the images of a project with podman or docker, and write the manifest that names them (`coworld build`).

pipeline      the steps in order: `build_manifest`
compose       the services of a compose file
template      the manifest template: image placeholders, version
tool          the podman or docker command
images        one resolved reference per image of the manifest
provenance    Git revision, labels, pinned source URLs
package_files viewer pages, player files and components beside the manifest
"""
